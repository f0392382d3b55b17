<?php
$query = <<<'GQL'
  query { runners(status: PAUSED) { nodes { id } } }
  GQL;
$client->post('https://code.example.com/api/graphql', ['json' => ['query' => $query]]);
