package dev.claimstream.cli.output;

import dev.claimstream.audit.streams.CandidateReport;
import dev.claimstream.audit.streams.CandidateReport.ClaimDifference;
import dev.claimstream.audit.streams.CandidateReport.FirstPlacement;
import dev.claimstream.audit.streams.CandidateReport.UsageSample;
import dev.claimstream.audit.streams.CandidateReport.WaitFigures;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.manifests.tree.Tree;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Formats the comparison of a candidate with the record. */
public final class CandidateReportText {
    private static final int CLAIMS_SHOWN = 20;
    private static final int SAMPLES_SHOWN = 12;

    private CandidateReportText() {}

    /**
     * Returns tables of claims, waiting times, the use over time, and the first claims that differ.
     *
     * @param width of the terminal; empty for unlimited width
     */
    public static String tables(CandidateReport report, OptionalInt width) {
        var counts = report.outcomes();
        var text = new StringBuilder("%s from %s to %s, %s\n\n"
                .formatted(
                        SummaryText.of(report.inputs(), "input"),
                        report.from(),
                        report.to(),
                        SummaryText.of(counts.claims(), "claim")));
        var claims = new TextTable("CLAIMS", "COUNT");
        claims.add("same devices", Long.toString(counts.same()));
        claims.add("other devices of the same node", Long.toString(counts.otherDevices()));
        claims.add("other node", Long.toString(counts.otherNode()));
        claims.add("allocated only in the record", Long.toString(counts.onlyRecorded()));
        claims.add("allocated only by the candidate", Long.toString(counts.onlyCandidate()));
        claims.add("never allocated", Long.toString(counts.neither()));
        var pendingTimes = new TextTable("PENDING", "CLAIMS", "MEAN", "MEDIAN", "P99", "MAX");
        add(pendingTimes, "record", report.recorded());
        add(pendingTimes, "candidate", report.candidate());
        text.append(claims.text(width))
                .append('\n')
                .append(pendingTimes.text(width))
                .append('\n')
                .append(timeline(report.timeline()).text(width));
        if (!report.differing().isEmpty()) {
            text.append('\n').append(differences(report.differing()).text(width));
            if (report.differing().size() > CLAIMS_SHOWN) {
                text.append("the first %d of the claims that differ; up to %d: -o json\n"
                        .formatted(CLAIMS_SHOWN, CandidateReport.DIFFERING_MAX));
            }
        }
        return text.toString();
    }

    private static void add(TextTable table, String side, WaitFigures figures) {
        table.add(
                side,
                Long.toString(figures.claims()),
                seconds(figures.mean()),
                seconds(figures.median()),
                seconds(figures.p99()),
                seconds(figures.max()));
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.3f s", duration.toNanos() / 1e9);
    }

    private static TextTable timeline(List<UsageSample> samples) {
        var table = new TextTable("TIME", "DEVICES", "USED: RECORD", "CANDIDATE", "FRAGMENTED: RECORD", "CANDIDATE");
        int step = Math.max(1, (samples.size() + SAMPLES_SHOWN - 1) / SAMPLES_SHOWN);
        for (int i = 0; i < samples.size(); i += step) {
            UsageSample sample = samples.get(i);
            table.add(
                    sample.at().toString(),
                    Long.toString(sample.devices()),
                    percent(sample.recorded(), sample.devices()),
                    percent(sample.candidate(), sample.devices()),
                    percent(sample.recordedFragmented(), sample.devices() - sample.recorded()),
                    percent(sample.candidateFragmented(), sample.devices() - sample.candidate()));
        }
        return table;
    }

    private static String percent(long part, long whole) {
        return whole <= 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }

    private static TextTable differences(List<ClaimDifference> differences) {
        var table = new TextTable("CLAIM", "SINCE", "RECORD", "CANDIDATE");
        differences.stream()
                .limit(CLAIMS_SHOWN)
                .forEach(each -> table.add(
                        each.claim().toString(),
                        each.since().toString(),
                        text(each.recorded()),
                        text(each.candidate())));
        return table;
    }

    private static String text(Optional<FirstPlacement> placement) {
        return placement
                .map(each -> "%s: %s"
                        .formatted(
                                each.node(),
                                each.devices().stream().map(DeviceId::toString).collect(Collectors.joining(", "))))
                .orElse("-");
    }

    /** Returns the report as JSON. Times are in seconds. */
    public static String json(CandidateReport report) {
        return Tree.mapping(fields -> {
                    fields.put("from", report.from().toString())
                            .put("to", report.to().toString())
                            .put("inputs", report.inputs());
                    fields.put("claims", counts(report));
                    fields.put(
                            "pending",
                            Tree.mapping(sides -> sides.put("recorded", pendingTimes(report.recorded()))
                                    .put("candidate", pendingTimes(report.candidate()))));
                    fields.put("differing", list(report.differing(), CandidateReportText::difference));
                    fields.put("timeline", list(report.timeline(), CandidateReportText::sample));
                })
                .indentedJson();
    }

    /** A list that is written also if it is empty. */
    private static <T> Tree list(List<T> values, Function<T, Tree> tree) {
        return new Tree.Sequence(values.stream().map(tree).toList());
    }

    private static Tree counts(CandidateReport report) {
        var counts = report.outcomes();
        return Tree.mapping(fields -> fields.put("same", counts.same())
                .put("otherDevices", counts.otherDevices())
                .put("otherNode", counts.otherNode())
                .put("onlyRecorded", counts.onlyRecorded())
                .put("onlyCandidate", counts.onlyCandidate())
                .put("neither", counts.neither()));
    }

    private static Tree pendingTimes(WaitFigures figures) {
        return Tree.mapping(fields -> fields.put("claims", figures.claims())
                .put("meanSeconds", number(figures.mean()))
                .put("medianSeconds", number(figures.median()))
                .put("p99Seconds", number(figures.p99()))
                .put("maxSeconds", number(figures.max())));
    }

    private static Tree number(Duration duration) {
        return new Tree.Numeral(String.format(Locale.ROOT, "%.6f", duration.toNanos() / 1e9));
    }

    private static Tree difference(ClaimDifference each) {
        return Tree.mapping(fields -> {
            fields.put("namespace", each.claim().namespace())
                    .put("name", each.claim().name())
                    .put("since", each.since().toString());
            each.recorded().ifPresent(placed -> fields.put("recorded", placement(placed)));
            each.candidate().ifPresent(placed -> fields.put("candidate", placement(placed)));
        });
    }

    private static Tree placement(FirstPlacement placed) {
        return Tree.mapping(fields -> fields.put("node", placed.node())
                .put("at", placed.at().toString())
                .put(
                        "devices",
                        Tree.texts(placed.devices().stream()
                                .map(DeviceId::toString)
                                .toList())));
    }

    private static Tree sample(UsageSample sample) {
        return Tree.mapping(fields -> fields.put("at", sample.at().toString())
                .put("devices", sample.devices())
                .put("recorded", sample.recorded())
                .put("candidate", sample.candidate())
                .put("recordedFragmented", sample.recordedFragmented())
                .put("candidateFragmented", sample.candidateFragmented()));
    }
}
