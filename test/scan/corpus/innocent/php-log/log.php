<?php
$logger->info('https://code.example.com/api/v4/runners?status=paused');
throw new RuntimeException("https://code.example.com/api/v4/projects/1/services");
$x = ['status' => 'paused'];
$client->post('https://billing.example.com/plans', ['json' => $x]);
