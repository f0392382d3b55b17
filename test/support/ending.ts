const endings: (() => unknown)[] = [];

/** Has something end with the test that runs; what began last ends first. */
export function atEnd(end: () => unknown): void {
  endings.push(end);
}

export async function endAll(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}
