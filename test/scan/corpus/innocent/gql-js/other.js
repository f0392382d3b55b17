const q = `query { package(id: 1) { name versions { nodes { pipelines { nodes { id } } } } } }`;
const doc = "defaultMergeCommitMessageWithDescription was removed";
console.warn(`{ mergeRequest { defaultMergeCommitMessageWithDescription } }`);
