package dev.claimstream.manifests;

import dev.claimstream.manifests.ManifestFinding.Severity;
import java.util.ArrayList;
import java.util.List;

/** Keeps findings up to a maximum and counts the others. */
final class FindingCollector {
    private final int findingsMax;
    private final List<ManifestFinding> kept = new ArrayList<>();
    private long omitted;
    private boolean hasOmittedErrors;

    FindingCollector(int findingsMax) {
        this.findingsMax = findingsMax;
    }

    void add(ManifestFinding finding) {
        if (remaining() > 0) {
            kept.add(finding);
        } else {
            addOmitted(finding.severity());
        }
    }

    /** Returns the number of findings that can still be kept. */
    int remaining() {
        return findingsMax - kept.size();
    }

    /** Counts a finding that is not kept. */
    void addOmitted(Severity severity) {
        omitted++;
        hasOmittedErrors |= severity == Severity.ERROR;
    }

    /** Returns whether there are no findings about a file. */
    boolean isEmptyFor(String file) {
        return omitted == 0
                && kept.stream().noneMatch(finding -> finding.location().file().equals(file));
    }

    /** Returns a mark before the next finding. */
    int mark() {
        return kept.size();
    }

    /** Returns the kept findings after a mark. */
    List<ManifestFinding> since(int mark) {
        return List.copyOf(kept.subList(mark, kept.size()));
    }

    /** Replaces the findings after a mark by their common cause. */
    void replaceSince(int mark, ManifestFinding cause) {
        kept.subList(mark, kept.size()).clear();
        add(cause);
    }

    /** Returns the kept findings, and one more with the number of the others. */
    List<ManifestFinding> all() {
        if (omitted == 0) {
            return kept;
        }
        String message = "%d more findings are not shown".formatted(omitted);
        String remedy = "correct the findings above, and run again";
        SourceLocation location = SourceLocation.of(kept.getLast().location().file());
        List<ManifestFinding> all = new ArrayList<>(kept);
        all.add(
                hasOmittedErrors
                        ? ManifestFinding.error(location, message, remedy)
                        : ManifestFinding.warning(location, message, remedy));
        return all;
    }
}
