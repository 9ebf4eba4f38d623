package dev.claimstream.manifests;

import dev.claimstream.manifests.ManifestFinding.Severity;
import dev.claimstream.manifests.ReadOptions.Strictness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Collects the findings, locations and expressions of one object while it is read. */
final class ObjectReadContext {
    private final String file;
    private final ApiVersion version;
    private final Strictness strictness;
    private final FindingCollector findings;
    private final Function<String, Optional<GatedField>> disabledField;
    private final SortedMap<String, SourceLocation> locations = new TreeMap<>();
    private final List<Manifest.CelExpression> expressions = new ArrayList<>(0);
    private final List<ManifestFinding> found = new ArrayList<>(0);
    private final List<ManifestFinding> disabled = new ArrayList<>(0);
    private int errors;

    /**
     * Creates the context of one object.
     *
     * @param disabledField the field of a disabled feature that contains a path
     */
    ObjectReadContext(
            String file,
            ApiVersion version,
            Strictness strictness,
            FindingCollector findings,
            Function<String, Optional<GatedField>> disabledField) {
        this.file = file;
        this.version = version;
        this.strictness = strictness;
        this.findings = findings;
        this.disabledField = disabledField;
    }

    /** Returns the API version in which the object is written. */
    ApiVersion version() {
        return version;
    }

    /** Returns whether values of a newer API are kept as unknown. */
    boolean isLenient() {
        return strictness == Strictness.SERVED;
    }

    /** Returns a context for the same object whose findings are never reported. */
    ObjectReadContext withoutFindings() {
        return new ObjectReadContext(file, version, strictness, new FindingCollector(1), disabledField);
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

    /**
     * Reports an error of decoding in strict mode and a warning otherwise: an API server may know more fields.
     *
     * <p>Unlike {@link #invalid}, it is also an error in a field of a disabled feature: decoding precedes the dropping of fields.
     */
    void undecodable(FieldPath path, int line, int column, String value, String message, String remedy) {
        if (strictness == Strictness.STRICT) {
            error(path, line, column, value, message, remedy);
        } else {
            warn(path, line, column, value, message, remedy);
        }
    }

    /** Reports an error of validation in strict mode and a warning otherwise: the API server that accepted the object may be less strict. */
    void invalid(FieldPath path, int line, int column, String value, String message, String remedy) {
        if (strictness == Strictness.STRICT && disabledField.apply(path.text()).isPresent()) {
            disabled.add(
                    new ManifestFinding(Severity.ERROR, location(line, column), path.text(), value, message, remedy));
        } else {
            undecodable(path, line, column, value, message, remedy);
        }
    }

    /** Reports a warning; the object is kept. */
    void warn(FieldPath path, int line, int column, String value, String message, String remedy) {
        add(Severity.WARNING, path, line, column, value, message, remedy);
    }

    private void add(
            Severity severity, FieldPath path, int line, int column, String value, String message, String remedy) {
        if (found.size() < findings.remaining()) {
            found.add(new ManifestFinding(severity, location(line, column), path.text(), value, message, remedy));
        } else {
            findings.addOmitted(severity);
        }
    }

    /**
     * Adds the findings of this object to the overall findings, sorted by line. Fields are read in the order of their meaning, not of their
     * lines.
     */
    void flush() {
        found.sort(Comparator.comparingInt(
                        (ManifestFinding finding) -> finding.location().line())
                .thenComparingInt(finding -> finding.location().column()));
        found.forEach(findings::add);
        found.clear();
    }

    /** Records an expression for later checks. */
    void recordExpression(FieldPath path, Manifest.CelExpression.ExpressionUsage purpose, String text) {
        expressions.add(new Manifest.CelExpression(path.text(), purpose, text));
    }

    /** Returns the recorded expressions. */
    List<Manifest.CelExpression> expressions() {
        return expressions;
    }

    /** Records the location of a field for later checks. */
    void recordLocation(FieldPath path, int line, int column) {
        locations.put(path.text(), location(line, column));
    }

    /** Returns the errors of validation in fields of disabled features, which {@link #isClean} does not count. */
    List<ManifestFinding> disabledFindings() {
        return disabled;
    }

    /** Returns the recorded locations. */
    SortedMap<String, SourceLocation> locations() {
        return locations;
    }

    SourceLocation location(int line, int column) {
        return new SourceLocation(file, line, column);
    }
}
