package dev.claimstream.manifests;

import dev.claimstream.manifests.Finding.Severity;
import java.util.ArrayList;
import java.util.List;

/** Keeps findings up to a maximum and counts the others. */
final class Findings {
    private final int findingsMax;
    private final List<Finding> kept = new ArrayList<>();
    private long left;
    private boolean leftErrors;

    Findings(int findingsMax) {
        this.findingsMax = findingsMax;
    }

    void add(Finding finding) {
        if (room() > 0) {
            kept.add(finding);
        } else {
            addUnseen(finding.severity());
        }
    }

    /** Returns the number of findings that can still be kept. */
    int room() {
        return findingsMax - kept.size();
    }

    /** Counts a finding that is not kept. */
    void addUnseen(Severity severity) {
        left++;
        leftErrors |= severity == Severity.ERROR;
    }

    /** Returns whether there are no findings about a file. */
    boolean isQuietAbout(String file) {
        return left == 0
                && kept.stream().noneMatch(finding -> finding.place().file().equals(file));
    }

    /** Returns the kept findings, and one more with the number of the others. */
    List<Finding> all() {
        if (left == 0) {
            return kept;
        }
        String message = "%d more findings are not shown".formatted(left);
        String remedy = "correct those before, and read again";
        Place place = Place.of(kept.getLast().place().file());
        List<Finding> all = new ArrayList<>(kept);
        all.add(leftErrors ? Finding.error(place, message, remedy) : Finding.warning(place, message, remedy));
        return all;
    }
}
