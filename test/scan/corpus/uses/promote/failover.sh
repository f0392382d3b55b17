#!/bin/bash
echo "running promote-db on the secondary"
sudo gitlab-ctl promote-db
ssh -t geo@secondary.example.com "sudo gitlab-ctl promote-to-primary-node --force"
docker exec -it platform gitlab-ctl promote-db
