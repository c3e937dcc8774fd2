/**
 * What the names of tokens are about, for the daily report: a list of words, ours and nobody else's. A name belongs to each
 * theme that has a word in it, in any case; a word of up to three letters counts only where the name is just that, or begins
 * or ends with it.
 */
const THEMES: Readonly<Record<string, readonly string[]>> = {
  dogs: ['dog', 'doge', 'inu', 'shib', 'puppy', 'woof', 'bonk', 'floki'],
  cats: ['cat', 'kitty', 'meow', 'kitten', 'neko'],
  frogs: ['pepe', 'frog', 'toad', 'kek'],
  animals: [
    'ape',
    'monkey',
    'bear',
    'bull',
    'wolf',
    'panda',
    'tiger',
    'lion',
    'whale',
    'shark',
    'duck',
    'phnix',
    'bird',
  ],
  politics: ['trump', 'maga', 'biden', 'potus', 'vote', 'freedom', 'usa'],
  people: ['elon', 'musk', 'brad', 'schwartz', 'vitalik', 'satoshi'],
  ai: ['ai', 'gpt', 'agent', 'robot', 'bot', 'neural', 'brain'],
  space: ['moon', 'mars', 'rocket', 'star', 'space', 'galaxy', 'cosmo', 'nova', 'lunar', 'solar'],
  money: ['usd', 'eur', 'gbp', 'jpy', 'cash', 'gold', 'silver', 'coin', 'money', 'bank', 'dollar', 'rich'],
  xrp: ['xrp', 'ripple', 'army', 'zerp', 'ledger'],
  games: ['game', 'play', 'quest', 'poker', 'casino', 'bet'],
  food: ['pizza', 'burger', 'coffee', 'beer', 'cake', 'taco', 'banana', 'bread'],
  memes: ['meme', 'chad', 'wojak', 'based', 'lol', 'gm', 'wen', 'fomo', 'bro'],
};
const SHORT_WORD = 3;

export const THEME_NAMES = Object.keys(THEMES);

/** Themes of a name. */
export function themesOf(name: string): string[] {
  const lower = name.toLowerCase();
  const has = (word: string) =>
    word.length > SHORT_WORD ? lower.includes(word) : lower.startsWith(word) || lower.endsWith(word);
  return THEME_NAMES.filter((theme) => THEMES[theme]!.some(has));
}
