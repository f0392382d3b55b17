/** A mapping in lines of its own, with the text of these lines. */
interface Block {
  readonly text: string;
  readonly value: object;
}

/** So many blocks are known of each key, and so many keys. */
const most = { blocks: 4, keys: 100 };

/** The last character of a block. */
const lineEnd = 10;

const none: readonly Block[] = [];

const blocksByKey = new Map<string, Block[]>();
const common = new WeakSet<object>();

/** The block of a key that was read before from the same text, if it was so lately: many manifests have blocks in common. */
export function knownBlock(key: string, text: string, at: number): Block | undefined {
  for (const block of blocksByKey.get(key) ?? none)
    if (text.charCodeAt(at + block.text.length - 1) === lineEnd && text.startsWith(block.text, at)) return block;
  return undefined;
}

/** Whether several manifests have a value in common: then what is said of it need not be worked out for each of them. */
export function isCommon(value: object): boolean {
  return common.has(value);
}

/** Tells that another manifest has a known block too. */
export function markCommon({ value }: Block): void {
  common.add(value);
}

/** Keeps a block to know it again; the oldest one of its key makes room. */
export function keepBlock(key: string, block: Block): void {
  if (blocksByKey.size === most.keys && !blocksByKey.has(key)) blocksByKey.clear();
  const blocks = blocksByKey.get(key) ?? [];
  if (blocks.push(block) > most.blocks) blocks.shift();
  blocksByKey.set(key, blocks);
}
