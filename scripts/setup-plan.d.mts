export interface Tool {
  readonly name: string;
  readonly apt: string;
  readonly brew?: string;
  readonly file?: string;
  readonly platforms?: readonly string[];
  readonly use: string;
}

export interface Situation {
  readonly platform: string;
  readonly missing: readonly Tool[];
  readonly manager: 'apt-get' | 'brew' | undefined;
  readonly isRoot: boolean;
  readonly hasSudo: boolean;
}

export type Plan =
  | { readonly commands: string[][]; readonly packages: string[]; readonly asRoot: boolean; readonly problem?: never }
  | { readonly problem: string; readonly commands?: never };

export declare function toolsFor(platform: string): readonly Tool[];
export declare function planInstall(situation: Situation): Plan;
