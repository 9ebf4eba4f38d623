package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.allocation.solver.Policy;

/** What a user can set for a run. */
record RunSettings(String policy, long searchStepsMax) {
    static RunSettings defaults() {
        return new RunSettings(Policy.BEST_FIT.text(), Settings.SEARCH_STEPS_DEFAULT);
    }
}
