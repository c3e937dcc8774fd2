/** Who made the charts, on every page that may show one: its licence asks for this notice and for the link. */
export function Attribution() {
  return (
    <a
      class="attribution"
      href="https://www.tradingview.com/"
      target="_blank"
      rel="noreferrer"
      title="TradingView Lightweight Charts™, Copyright (c) 2026 TradingView, Inc."
    >
      Charts by TradingView
    </a>
  );
}
