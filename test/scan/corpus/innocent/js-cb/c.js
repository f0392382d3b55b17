request.get("https://code.example.com/api/v4/runners", { headers: { "PRIVATE-TOKEN": t } }, () => {
  store.dispatch({ type: "x", status: "paused" });
});
