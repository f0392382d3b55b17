curl "$CI_API_V4_URL/runners?status=online"
curl "$CI_API_V4_URL/runners?status=never_contacted"
curl "$CI_API_V4_URL/runners?paused=true"
curl "$CI_API_V4_URL/projects/1/pipelines?status=paused"
