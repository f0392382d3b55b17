export interface Asked {
  readonly projects: number;
  readonly integrations: number;
  readonly kinds: number;
  readonly latency: number;
  readonly rate: number;
  readonly workers: number;
  readonly change: number;
  readonly reads: "verify" | "trust-updated-at";
  readonly apply: boolean;
}

export interface Cost {
  readonly requests: number;
  readonly megabytes: number;
  readonly seconds: number;
  readonly memory: number;
  readonly limit: string;
}

export function model(asked: Asked, constants: object): Cost;
