package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.writer.Commits;

/** Where no API server is, a decision is carried out by being shown. */
final class Shown implements Commits {
    @Override
    public Outcome commit(Decision decision) {
        return Outcome.COMMITTED;
    }
}
