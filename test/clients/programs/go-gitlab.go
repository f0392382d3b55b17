package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/xanzy/go-gitlab"
)

var gl *gitlab.Client

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func done[Value any](value Value, _ *gitlab.Response, err error) Value {
	check(err)
	return value
}

func tell(what string, ask func() any) {
	defer func() {
		if reason := recover(); reason != nil {
			say(what, fmt.Sprint("error: ", reason))
		}
	}()
	say(what, ask())
}

func say(what string, answer any) {
	line, err := json.Marshal([]any{what, answer})
	check(err)
	fmt.Println(string(line))
}

func slugs(services []*gitlab.Service) (all []string) {
	for _, service := range services {
		all = append(all, service.Slug)
	}
	return
}

func titles(requests []*gitlab.MergeRequest) (all []string) {
	for _, request := range requests {
		all = append(all, request.Title)
	}
	return
}

func wiki(address string) string {
	_, err := gl.Services.SetExternalWikiService(1, &gitlab.SetExternalWikiServiceOptions{ExternalWikiURL: &address})
	check(err)
	return done(gl.Services.GetExternalWikiService(1)).Properties.ExternalWikiURL
}

func withoutWiki() bool {
	_, err := gl.Services.DeleteExternalWikiService(1)
	check(err)
	return done(gl.Services.GetExternalWikiService(1)).Active
}

func jira(address string) string {
	word := "p"
	options := gitlab.SetJiraServiceOptions{URL: &address, Username: &word, Password: &word}
	_, err := gl.Services.SetJiraService(1, &options)
	check(err)
	return done(gl.Services.GetJiraService(1)).Properties.URL
}

func deploy(status string) string {
	options := gitlab.CreateProjectDeploymentOptions{
		Environment: gitlab.String("e"), SHA: gitlab.String("a1b2"), Ref: gitlab.String("main"), Tag: gitlab.Bool(false),
		Status: gitlab.DeploymentStatus(gitlab.DeploymentStatusValue(status)),
	}
	return done(gl.Deployments.CreateProjectDeployment(1, &options)).Status
}

func license(name string, status string) string {
	word := gitlab.LicenseApprovalStatusValue(status)
	options := gitlab.AddManagedLicenseOptions{Name: &name, ApprovalStatus: &word}
	id := done(gl.ManagedLicenses.AddManagedLicense(1, &options)).ID
	return string(done(gl.ManagedLicenses.GetManagedLicense(1, id)).ApprovalStatus)
}

func main() {
	client, err := gitlab.NewClient(os.Args[2], gitlab.WithBaseURL(os.Args[1]))
	check(err)
	gl = client

	// calls
}
