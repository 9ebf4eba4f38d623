package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.writer.Commits;

/** Commits without an API server: each decision counts as committed. */
final class Shown implements Commits {
    @Override
    public Outcome commit(Decision decision) {
        return Outcome.COMMITTED;
    }
}
