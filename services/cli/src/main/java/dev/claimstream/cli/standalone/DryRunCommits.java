package dev.claimstream.cli.standalone;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.writer.DecisionCommitter;

/** Commits without an API server: each decision counts as committed. */
public final class DryRunCommits implements DecisionCommitter {
    @Override
    public CommitResult commit(Decision decision) {
        return CommitResult.COMMITTED;
    }
}
