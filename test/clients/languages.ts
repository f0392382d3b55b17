import { join } from "node:path";

/** How the programs of one client are installed, written and run. Folders are those of the temporary installation. */
export interface Client {
  readonly name: string;
  /** Of Debian, with those that they need; or of npm, with their versions. */
  readonly packages: { readonly apt: readonly string[] } | { readonly npm: readonly string[] };
  readonly extension: string;
  /** One call in the language of the client. */
  readonly line: (what: string, expression: string) => string;
  readonly command: (root: string, program: string) => readonly [file: string, ...rest: string[]];
  readonly env?: (root: string) => Readonly<Record<string, string>>;
}

const node = {
  extension: "mjs",
  line: (what: string, expression: string) => `await tell(${what}, async () => ${expression});`,
  command: (_: string, program: string) => [process.execPath, program] as const,
};

const library = (root: string) => join(root, "usr/lib/x86_64-linux-gnu");

export const clients: readonly Client[] = [
  {
    name: "python3-gitlab",
    packages: { apt: ["python3", "python3-gitlab"] },
    extension: "py",
    line: (what, expression) => `tell(${what}, lambda: ${expression})`,
    command: (_, program) => ["/usr/bin/python3", program],
    env: (root) => ({ PYTHONPATH: join(root, "usr/lib/python3/dist-packages") }),
  },
  {
    name: "ruby-gitlab",
    packages: { apt: ["ruby-gitlab"] },
    extension: "rb",
    line: (what, expression) => `tell(${what}, -> { ${expression} })`,
    command: (root, program) => [join(root, "usr/bin/ruby"), program],
    env: (root) => ({
      LD_LIBRARY_PATH: library(root),
      GEM_PATH: join(root, "usr/share/rubygems-integration/all"),
      RUBYLIB: ["usr/lib/ruby/vendor_ruby", "usr/lib/ruby/3.1.0", "usr/lib/x86_64-linux-gnu/ruby/3.1.0"]
        .map((folder) => join(root, folder))
        .join(":"),
    }),
  },
  {
    name: "libgitlab-api-v4-perl",
    packages: { apt: ["libgitlab-api-v4-perl"] },
    extension: "pl",
    line: (what, expression) => `tell_of(${what}, sub { ${expression} });`,
    command: (_, program) => ["/usr/bin/perl", program],
    env: (root) => ({ PERL5LIB: `${join(root, "usr/share/perl5")}:${join(library(root), "perl5/5.36")}` }),
  },
  {
    name: "go-gitlab",
    packages: { apt: ["golang-go", "golang-github-xanzy-go-gitlab-dev"] },
    extension: "go",
    line: (what, expression) => `tell(${what}, func() any { return ${expression} })`,
    command: (root, program) => [join(root, "usr/lib/go/bin/go"), "run", program],
    env: (root) => ({
      GO111MODULE: "off",
      CGO_ENABLED: "0",
      GOROOT: join(root, "usr/lib/go"),
      GOPATH: join(root, "usr/share/gocode"),
      GOCACHE: join(root, "go-cache"),
    }),
  },
  { name: "gitbeaker", packages: { npm: ["@gitbeaker/rest@43.8.0"] }, ...node },
  { name: "node-gitlab", packages: { npm: ["node-gitlab@1.6.1"] }, ...node },
];
