package dev.claimstream.cli;

import dev.claimstream.cli.output.FoldedText;
import dev.claimstream.kubernetes.doctor.ClusterDiagnosis;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Formats the findings of {@code claimstream doctor} for people. */
final class FindingText {
    private static final int STATUS_WIDTH = 7;
    private static final String GAP = "  ";

    private FindingText() {}

    /**
     * Returns a line per finding: status, check, observation and remedy. In a narrow terminal a remedy follows in an
     * indented line.
     *
     * @param width of the terminal; empty for unlimited width, as in a pipe
     */
    static String of(List<DoctorFinding> findings, OptionalInt width) {
        int checks =
                findings.stream().mapToInt(each -> each.check().length()).max().orElse(0);
        return findings.stream().map(each -> text(each, checks, width)).collect(Collectors.joining());
    }

    /** Combines the warnings about missing permissions of an administrator into one at the place of the first, if there are several. */
    static List<DoctorFinding> combined(List<DoctorFinding> findings) {
        List<DoctorFinding> unmade = findings.stream()
                .filter(each -> each.remedy().equals(ClusterDiagnosis.ADMIN_REMEDY))
                .toList();
        if (unmade.size() < 2) {
            return findings;
        }
        var one = DoctorFinding.warning(
                "%d checks".formatted(unmade.size()),
                "need the permissions of an administrator: "
                        + unmade.stream().map(DoctorFinding::check).collect(Collectors.joining(", ")),
                ClusterDiagnosis.ADMIN_REMEDY + "; -o json prints what each of them found");
        return findings.stream()
                .filter(each -> each.equals(unmade.getFirst()) || !unmade.contains(each))
                .map(each -> each.equals(unmade.getFirst()) ? one : each)
                .toList();
    }

    private static String text(DoctorFinding finding, int checks, OptionalInt width) {
        String observed = padded(finding.status().text(), STATUS_WIDTH)
                + GAP
                + padded(finding.check(), checks)
                + GAP
                + oneLine(finding.observation());
        String remedy = finding.remedy().isEmpty() ? "" : "→ " + oneLine(finding.remedy());
        String line = remedy.isEmpty() ? observed : observed + " " + remedy;
        if (width.isEmpty() || line.length() <= width.getAsInt()) {
            return line + "\n";
        }
        int indent = STATUS_WIDTH + GAP.length();
        String text = FoldedText.of(observed + "\n", width, indent);
        return remedy.isEmpty() ? text : text + FoldedText.of(" ".repeat(indent) + remedy + "\n", width, 2);
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    static String oneLine(String text) {
        return text.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse("");
    }
}
