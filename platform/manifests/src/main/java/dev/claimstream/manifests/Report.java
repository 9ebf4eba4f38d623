package dev.claimstream.manifests;

import dev.claimstream.manifests.Finding.Severity;
import dev.claimstream.manifests.ReadOptions.Strictness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects the findings, locations and expressions of one object while it is read. */
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

    /** Returns the API version in which the object is written. */
    ApiVersion version() {
        return version;
    }

    /** Returns whether values of a newer API are kept as unknown. */
    boolean keepsUnknown() {
        return strictness == Strictness.SERVED;
    }

    /** Returns whether the object has no errors so far. */
    boolean isClean() {
        return errors == 0;
    }

    /** Reports an error; the object is rejected. */
    void error(FieldPath path, int line, int column, String value, String message, String remedy) {
        errors++;
        add(Severity.ERROR, path, line, column, value, message, remedy);
    }

    /** Reports an error in strict mode and a warning otherwise: the rules of the API server that accepted the object may be less strict. */
    void refuse(FieldPath path, int line, int column, String value, String message, String remedy) {
        if (strictness == Strictness.STRICT) {
            error(path, line, column, value, message, remedy);
        } else {
            warn(path, line, column, value, message, remedy);
        }
    }

    /** Reports a warning; the object is kept. */
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

    /**
     * Adds the findings of this object to the overall findings, sorted by line. Fields are read in the order of their meaning, not of their
     * lines.
     */
    void close() {
        found.sort(Comparator.comparingInt((Finding finding) -> finding.place().line())
                .thenComparingInt(finding -> finding.place().column()));
        found.forEach(findings::add);
        found.clear();
    }

    /** Records an expression for later checks. */
    void keepExpression(FieldPath path, Manifest.Expression.Purpose purpose, String text) {
        expressions.add(new Manifest.Expression(path.text(), purpose, text));
    }

    /** Returns the recorded expressions. */
    List<Manifest.Expression> expressions() {
        return expressions;
    }

    /** Records the location of a field for later checks. */
    void keep(FieldPath path, int line, int column) {
        places.put(path.text(), place(line, column));
    }

    /** Returns the recorded locations. */
    SortedMap<String, Place> places() {
        return places;
    }

    Place place(int line, int column) {
        return new Place(file, line, column);
    }
}
