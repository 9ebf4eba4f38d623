package dev.claimstream.manifests;

import dev.claimstream.manifests.Finding.Severity;
import dev.claimstream.manifests.ReadOptions.Strictness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is found in one object while it is read, and what is kept of its text. */
final class Report {
    private final String file;
    private final ApiVersion version;
    private final Strictness strictness;
    private final Findings findings;
    private final SortedMap<String, Place> places = new TreeMap<>();
    private final List<Manifest.Expression> expressions = new ArrayList<>(0);
    private final List<Finding> found = new ArrayList<>(0);
    private int errors;

    Report(String file, ApiVersion version, Strictness strictness, Findings findings) {
        this.file = file;
        this.version = version;
        this.strictness = strictness;
        this.findings = findings;
    }

    /** The version that the object is written in. */
    ApiVersion version() {
        return version;
    }

    /** Whether values of a newer API are kept as unknown. */
    boolean keepsUnknown() {
        return strictness == Strictness.SERVED;
    }

    /** Whether the object can be used. */
    boolean isClean() {
        return errors == 0;
    }

    /** Reports something that makes the object unreadable. */
    void error(FieldPath path, int line, int column, String value, String message, String remedy) {
        errors++;
        add(Severity.ERROR, path, line, column, value, message, remedy);
    }

    /** Reports something that only costs the object where people wrote it: an API server may have laxer rules than we know. */
    void refuse(FieldPath path, int line, int column, String value, String message, String remedy) {
        if (strictness == Strictness.STRICT) {
            error(path, line, column, value, message, remedy);
        } else {
            warn(path, line, column, value, message, remedy);
        }
    }

    /** Reports something that costs nothing. */
    void warn(FieldPath path, int line, int column, String value, String message, String remedy) {
        add(Severity.WARNING, path, line, column, value, message, remedy);
    }

    private void add(
            Severity severity, FieldPath path, int line, int column, String value, String message, String remedy) {
        if (found.size() < findings.room()) {
            found.add(new Finding(severity, place(line, column), path.text(), value, message, remedy));
        } else {
            findings.addUnseen(severity);
        }
    }

    /** Hands over what was found, in the order of the lines: reading goes by the meaning of the fields. */
    void close() {
        found.sort(Comparator.comparingInt((Finding finding) -> finding.place().line())
                .thenComparingInt(finding -> finding.place().column()));
        found.forEach(findings::add);
        found.clear();
    }

    /** Keeps an expression for later checks. */
    void keepExpression(FieldPath path, Manifest.Expression.Purpose purpose, String text) {
        expressions.add(new Manifest.Expression(path.text(), purpose, text));
    }

    /** The expressions that were kept. */
    List<Manifest.Expression> expressions() {
        return expressions;
    }

    /** Keeps the place of a field for later checks. */
    void keep(FieldPath path, int line, int column) {
        places.put(path.text(), place(line, column));
    }

    /** The places that were kept. */
    SortedMap<String, Place> places() {
        return places;
    }

    Place place(int line, int column) {
        return new Place(file, line, column);
    }
}
