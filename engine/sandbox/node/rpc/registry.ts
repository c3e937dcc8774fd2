/** All commands of the node by name. */
import type { Command } from './command.ts';
import { ledger } from './ledger.ts';
import { ledgerData } from './ledger-data.ts';
import { ping, random } from './plain.ts';
import { serverInfo } from './server-info.ts';
import { subscribe, unsubscribe } from './subscribe.ts';

const rows: readonly Command[] = [ledger, ledgerData, ping, random, serverInfo, subscribe, unsubscribe];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(rows.map((row) => [row.name, row]));
