#!/bin/bash
echo "running promote-db on the secondary"
sudo gitlab-ctl promote
ssh -t geo@secondary.example.com "sudo gitlab-ctl promote --force"
docker exec -it platform gitlab-ctl promote
