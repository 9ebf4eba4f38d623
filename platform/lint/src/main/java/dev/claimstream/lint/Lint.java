package dev.claimstream.lint;

import dev.claimstream.dra.Features;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.Place;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.Reading;
import dev.claimstream.manifests.source.Source;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Checks manifests for errors that an API server would reject, and for accepted objects that cannot work.
 *
 * <p>All given texts are checked as one set: selectors are evaluated on the devices that the set publishes. Thread-safe.
 */
public final class Lint {
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT.withFindingsMax(10_000);

    private final Features features;
    private final SelectorRules selectorRules;
    private final ManagedRules managedRules;

    /** Creates a linter for a cluster with these feature gates, without managed classes. */
    public Lint(Features features) {
        this(features, Set.of());
    }

    /**
     * Creates a linter for a cluster with these feature gates.
     *
     * @param managed names of the managed classes
     */
    public Lint(Features features, Set<String> managed) {
        this.features = features;
        this.managedRules = new ManagedRules(managed);
        this.selectorRules = new SelectorRules(new CelSelectors(dev.claimstream.selectors.Features.ofNew(features)));
    }

    /** Returns all findings, by file in the given order, then by location. */
    public List<Diagnosis> check(List<Source> sources) {
        List<Written> objects =
                sources.stream().flatMap(source -> Written.of(source).stream()).toList();
        Reading reading = Manifests.read(texts(sources), OPTIONS);
        References references = new References(objects);
        List<Diagnosis> found = new ArrayList<>();
        for (Written object : objects) {
            LayoutRules.finding(object).ifPresentOrElse(found::add, () -> found.addAll(of(object, references)));
        }
        for (Finding finding : reading.findings()) {
            Optional<Written> object = objectAt(objects, finding.place());
            boolean isToldOf = object.flatMap(LayoutRules::finding).isPresent();
            FieldRules.of(finding, object.map(Written::kind).orElse(""))
                    .filter(_ -> !isToldOf)
                    .map(each -> withCause(each, sources))
                    .ifPresent(found::add);
        }
        List<Manifest> manifests = reading.manifests();
        found.addAll(ClaimRules.findings(manifests));
        found.addAll(SliceRules.findings(manifests));
        found.addAll(PoolRules.findings(manifests));
        found.addAll(new FleetRules(manifests).findings());
        return ordered(found, sources);
    }

    private List<Diagnosis> of(Written object, References references) {
        List<Diagnosis> found = new ArrayList<>();
        found.addAll(KindRules.findings(object));
        found.addAll(NameRules.findings(object));
        found.addAll(Shapes.findings(object));
        found.addAll(MetadataRules.findings(object));
        found.addAll(PodRules.findings(object, references));
        found.addAll(NamespaceRules.findings(object, references));
        found.addAll(GateRules.findings(object, features));
        found.addAll(managedRules.findings(object));
        found.addAll(selectorRules.findings(object));
        return found;
    }

    /** Replaces a syntax error by the finding about lost indentation if that is the cause. */
    private static Diagnosis withCause(Diagnosis diagnosis, List<Source> sources) {
        Place place = diagnosis.finding().place();
        return sources.stream()
                .filter(source ->
                        diagnosis.rule() == Rule.SYNTAX && source.name().equals(place.file()))
                .findFirst()
                .flatMap(source -> LayoutRules.finding(source, place))
                .orElse(diagnosis);
    }

    private static SequencedMap<String, String> texts(List<Source> sources) {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        sources.forEach(source -> texts.put(source.name(), source.text()));
        return texts;
    }

    private static Optional<Written> objectAt(List<Written> objects, Place place) {
        return objects.stream()
                .filter(each -> each.source().name().equals(place.file())
                        && each.source().line(each.root().span().start()) <= place.line()
                        && each.source().line(each.root().span().end()) >= place.line())
                .findFirst();
    }

    /** Returns whether the field is, or contains, one of the parts: the required value exists in another form. */
    private static boolean isBegun(Finding finding, List<String> parts) {
        return parts.stream().anyMatch(part -> part.startsWith(part(finding)));
    }

    private static String part(Finding finding) {
        return finding.place().file() + ": " + finding.field() + ".";
    }

    /** Sorts the findings, removes those that two rules report, and removes {@code REQUIRED} if the value exists in another form. */
    private static List<Diagnosis> ordered(List<Diagnosis> found, List<Source> sources) {
        List<String> files = sources.stream().map(Source::name).toList();
        List<String> otherForms = found.stream()
                .filter(each -> each.rule() == Rule.ANY_OF || each.rule() == Rule.WRONG_TYPE)
                .map(each -> part(each.finding()))
                .toList();
        record Seen(Place place, String field, Rule rule) {}
        Set<Seen> seen = new HashSet<>();
        return found.stream()
                .filter(each -> each.rule() != Rule.REQUIRED || !isBegun(each.finding(), otherForms))
                .filter(each ->
                        seen.add(new Seen(each.finding().place(), each.finding().field(), each.rule())))
                .sorted(Comparator.comparingInt((Diagnosis each) ->
                                files.indexOf(each.finding().place().file()))
                        .thenComparingInt(each -> each.finding().place().line())
                        .thenComparingInt(each -> each.finding().place().column()))
                .toList();
    }
}
