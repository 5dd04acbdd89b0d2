"""Labels, ratings, votes, sheets and samples as files of ours."""
