package x
var u = fmt.Sprintf("%s/projects/%d/integrations/%s", base, id, slug)
func h(r *http.Request) { r.Header.Set("PRIVATE-TOKEN", t) }
