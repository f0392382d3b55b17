use strict;
use warnings;
use GitLab::API::v4;
use JSON::PP;

my ($url, $token) = @ARGV;
my $gl = GitLab::API::v4->new(url => "$url/api/v4", private_token => $token);
my $json = JSON::PP->new->allow_nonref;

sub tell_of {
    my ($what, $ask) = @_;
    my $answer = eval { $ask->() };
    $answer = "error: $@" if $@;
    print $json->encode([$what, $answer]), "\n";
}

# calls
