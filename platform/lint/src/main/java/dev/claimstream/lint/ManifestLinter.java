package dev.claimstream.lint;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.UnfinishedText;
import dev.claimstream.manifests.source.SourceText;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks manifests for errors that an API server would reject, and for accepted objects that cannot work.
 *
 * <p>Selectors are evaluated on the devices that the texts of the same {@link ManifestSets set} publish. Thread-safe.
 */
public final class ManifestLinter {
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT.withFindingsMax(10_000);

    private final FeatureGates features;
    private final SelectorRules selectorRules;
    private final ManagedClassRules managedRules;

    /** Creates a linter for a cluster with these feature gates, without managed classes. */
    public ManifestLinter(FeatureGates features) {
        this(features, Set.of());
    }

    /**
     * Creates a linter for a cluster with these feature gates.
     *
     * @param managed names of the managed classes
     */
    public ManifestLinter(FeatureGates features, Set<String> managed) {
        this.features = features;
        this.managedRules = new ManagedClassRules(managed);
        this.selectorRules = new SelectorRules(new CelSelectors(dev.claimstream.selectors.Features.ofNew(features)));
    }

    /** Returns all findings, by file in the given order, then by location. */
    public List<LintFinding> check(List<SourceText> sources) {
        Set<String> foreign = ForeignSources.of(sources);
        List<SourceText> manifests = sources.stream()
                .filter(source -> !foreign.contains(source.name()))
                .toList();
        List<List<SourceText>> sets = ManifestSets.of(manifests);
        List<List<LintFinding>> found = sets.stream().map(this::checkSpelled).toList();
        return ordered(SharedFindings.of(sets, found), sources);
    }

    /** Checks the texts with the right capitals: a field with wrong ones is reported, and its value is checked like any other. */
    private List<LintFinding> checkSpelled(List<SourceText> sources) {
        Map<String, SourceText> byName =
                sources.stream().collect(Collectors.toMap(SourceText::name, each -> each, (first, _) -> first));
        List<LintFinding> found = checkOnce(sources).stream()
                .map(each -> Optional.ofNullable(
                                byName.get(each.finding().location().file()))
                        .map(source -> FieldCapitals.withRival(source, each))
                        .orElse(each))
                .toList();
        List<SourceText> corrected = sources.stream()
                .map(source -> FieldCapitals.corrected(source, found))
                .toList();
        if (corrected.equals(sources)) {
            return found;
        }
        List<LintFinding> all = new ArrayList<>(checkSpelled(corrected));
        for (SourceText source : sources) {
            found.stream()
                    .filter(each -> each.finding().location().file().equals(source.name())
                            && FieldCapitals.fix(source, each.finding()).isPresent())
                    .forEach(all::add);
        }
        return all;
    }

    private List<LintFinding> checkOnce(List<SourceText> sources) {
        ManifestReadResult reading = Manifests.read(texts(sources), OPTIONS);
        Set<String> unfinished = unfinished(sources, reading);
        List<SourceObject> objects = sources.stream()
                .filter(source -> !unfinished.contains(source.name()))
                .flatMap(source -> SourceObject.of(source).stream())
                .toList();
        SourceObjectIndex references = new SourceObjectIndex(objects);
        Set<String> reported = new HashSet<>();
        List<LintFinding> found = new ArrayList<>();
        for (SourceObject object : objects) {
            IndentationRules.finding(object)
                    .ifPresentOrElse(found::add, () -> found.addAll(checkObject(object, references, reported)));
        }
        ObjectLocations locations = new ObjectLocations(objects);
        for (ManifestFinding finding : reading.findings()) {
            Optional<SourceObject> object = locations.objectAt(finding.location());
            boolean isReported = object.flatMap(IndentationRules::finding).isPresent();
            ReaderFindingRules.of(finding, object.map(SourceObject::kind).orElse(""))
                    .filter(_ -> !isReported)
                    .map(each -> withRootCause(each, sources))
                    .ifPresent(found::add);
        }
        List<Manifest> manifests = reading.manifests().stream()
                .filter(each -> !unfinished.contains(each.location().file()))
                .toList();
        List<SourceText> templates = sources.stream()
                .filter(source -> unfinished.contains(source.name()))
                .toList();
        found.removeIf(new UnseenDefinitions(templates, objects)::explain);
        found.addAll(ClaimRules.findings(manifests));
        found.addAll(SliceRules.findings(manifests));
        found.addAll(PoolRules.findings(manifests));
        found.addAll(new PublishedDeviceRules(manifests).findings());
        return withoutVariables(found, sources);
    }

    /** Returns the names of the texts that are not yet manifests. */
    private static Set<String> unfinished(List<SourceText> sources, ManifestReadResult reading) {
        Set<String> names = sources.stream()
                .filter(source ->
                        UnfinishedText.finding(source.name(), source.text()).isPresent())
                .map(SourceText::name)
                .collect(Collectors.toCollection(HashSet::new));
        reading.findings().stream()
                .filter(UnfinishedText::isAboutVariables)
                .forEach(each -> names.add(each.location().file()));
        return names;
    }

    /** Replaces the findings about a text with variables, of which one causes an error, by one finding. */
    private static List<LintFinding> withoutVariables(List<LintFinding> found, List<SourceText> sources) {
        Map<String, List<ManifestFinding>> errors = found.stream()
                .map(LintFinding::finding)
                .filter(ManifestFinding::isError)
                .collect(Collectors.groupingBy(each -> each.location().file()));
        Map<String, LintFinding> causes = new HashMap<>();
        for (SourceText source : sources) {
            Optional.ofNullable(errors.get(source.name()))
                    .flatMap(ofText -> UnfinishedText.variables(source.name(), source.text(), ofText))
                    .ifPresent(
                            cause -> causes.put(source.name(), new LintFinding(LintRule.UNRENDERED_TEMPLATE, cause)));
        }
        if (causes.isEmpty()) {
            return found;
        }
        List<LintFinding> left = new ArrayList<>(causes.values());
        found.stream()
                .filter(each -> !causes.containsKey(each.finding().location().file()))
                .forEach(left::add);
        return left;
    }

    private List<LintFinding> checkObject(SourceObject object, SourceObjectIndex references, Set<String> reported) {
        List<LintFinding> found = new ArrayList<>();
        found.addAll(RootFieldRules.findings(object));
        found.addAll(KindRules.findings(object));
        found.addAll(NameRules.findings(object));
        found.addAll(FieldTypeRules.findings(object));
        found.addAll(MetadataRules.findings(object));
        found.addAll(PodRules.findings(object, references));
        found.addAll(WorkflowRules.findings(object));
        found.addAll(ReferenceRules.findings(object, references, reported));
        found.addAll(NamespaceRules.findings(object, references));
        found.addAll(GateRules.findings(object, features));
        found.addAll(managedRules.findings(object));
        found.addAll(selectorRules.findings(object));
        return found;
    }

    /** Replaces a syntax error by the finding about lost indentation if that is the cause. */
    private static LintFinding withRootCause(LintFinding diagnosis, List<SourceText> sources) {
        SourceLocation location = diagnosis.finding().location();
        return sources.stream()
                .filter(source ->
                        diagnosis.rule() == LintRule.SYNTAX && source.name().equals(location.file()))
                .findFirst()
                .flatMap(source -> IndentationRules.finding(source, location))
                .orElse(diagnosis);
    }

    private static SequencedMap<String, String> texts(List<SourceText> sources) {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        sources.forEach(source -> texts.put(source.name(), source.text()));
        return texts;
    }

    /** Returns whether the field is, or contains, one of the parts: the required value exists in another form. */
    private static boolean hasOtherForm(ManifestFinding finding, List<String> parts) {
        return parts.stream().anyMatch(part -> part.startsWith(part(finding)));
    }

    private static String part(ManifestFinding finding) {
        return finding.location().file() + ": " + finding.field() + ".";
    }

    /** Sorts the findings, removes those that two rules report, and removes {@code REQUIRED} if the value exists in another form. */
    private static List<LintFinding> ordered(List<LintFinding> found, List<SourceText> sources) {
        List<String> files = sources.stream().map(SourceText::name).toList();
        List<String> otherForms = found.stream()
                .filter(each -> each.rule() == LintRule.ANY_OF || each.rule() == LintRule.WRONG_TYPE)
                .map(each -> part(each.finding()))
                .toList();
        Set<String> misplaced = found.stream()
                .filter(each -> each.rule() == LintRule.MISPLACED_FIELD)
                .map(each -> each.finding().location().file() + each.finding().remedy())
                .collect(Collectors.toSet());
        Set<String> belongBelow = found.stream()
                .map(LintFinding::finding)
                .filter(each -> each.remedy().equals(MisplacedFields.BELOW_CEL))
                .map(each -> part(each).replaceFirst("expression\\.$", "cel."))
                .collect(Collectors.toSet());
        Set<SharedFindings.FindingKey> keys = new HashSet<>();
        return found.stream()
                .filter(each -> each.rule() != LintRule.REQUIRED || !hasOtherForm(each.finding(), otherForms))
                .filter(each -> each.rule() != LintRule.REQUIRED
                        || !misplaced.contains(each.finding().location().file()
                                + "put it under %s:".formatted(each.finding().field())))
                .filter(each -> each.rule() != LintRule.REQUIRED || !belongBelow.contains(part(each.finding())))
                .filter(each -> keys.add(SharedFindings.FindingKey.of(each)))
                .sorted(Comparator.comparingInt((LintFinding each) ->
                                files.indexOf(each.finding().location().file()))
                        .thenComparingInt(each -> each.finding().location().line())
                        .thenComparingInt(each -> each.finding().location().column()))
                .toList();
    }
}
