release-cli create --name v1
curl -L "https://code.example.com/api/v4/projects/1/packages/generic/release-cli/latest/release-cli" -o release-cli
aws s3 cp build.zip s3://artifacts/build.zip
