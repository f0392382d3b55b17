<?php
$url = $base . '/api/v4/runners/all';
$query = ['status' => 'active'];
$response = $client->get($url, ['query' => $query]);
