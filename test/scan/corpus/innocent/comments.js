// fetch("https://code.example.com/api/v4/projects/1/services")
/* defaultMergeCommitMessageWithDescription, approval_status: "approved", managed_licenses */
console.log("https://code.example.com/api/v4/projects/1/services is the old path");
console.log("https://code.example.com/api/v4/projects/1/services");
const pattern = /api\/v4\/projects\/1\/services"/;
