// npm run bench -- --check [MEASURE...]: the targets of docs/speed.md; -- --scale [LARGEST [ROW]]: the runs of docs/scale.md.
await import(process.argv[2] === "--scale" ? "./scale.mjs" : "./check.mjs");
