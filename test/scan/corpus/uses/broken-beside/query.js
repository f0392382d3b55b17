const broken = `query { unfinished`;
const whole = `{ project { mergeRequest { defaultMergeCommitMessageWithDescription } } }`;
