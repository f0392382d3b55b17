export function reducer(state = { status: "not_connected" }, action) {
  switch (action.type) {
    case "runners/paused":
      return { ...state, status: "paused" };
    case "active":
      return { ...state, status: "active" };
  }
}
