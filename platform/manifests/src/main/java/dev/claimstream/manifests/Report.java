package dev.claimstream.manifests;

import dev.claimstream.manifests.Finding.Severity;
import dev.claimstream.manifests.ReadOptions.Strictness;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is found in one object while it is read, and the places that are kept of it. */
final class Report {
    private final String file;
    private final ApiVersion version;
    private final Strictness strictness;
    private final Findings findings;
    private final SortedMap<String, Place> places = new TreeMap<>();
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
        if (findings.isFull()) {
            findings.addUnseen(severity);
        } else {
            findings.add(new Finding(severity, place(line, column), path.text(), value, message, remedy));
        }
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
