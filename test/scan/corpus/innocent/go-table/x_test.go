package x

func TestStatus(t *testing.T) {
	for _, tt := range []struct{ status string }{{"paused"}, {"active"}} {
		got := parse(tt.status)
		if got.Status != "paused" {
			t.Errorf("GET https://code.example.com/api/v4/runners?status=paused: %v", got)
		}
	}
}
