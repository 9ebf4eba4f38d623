package dev.claimstream.kafka.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.assertj.core.api.ThrowableAssert;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

/** Ids, compatibility levels and journal of a schema catalog. */
class SchemaCatalogTest {
    private static final Schema PET =
            SchemaBuilder.record("Pet").fields().requiredString("name").endRecord();
    private static final Schema PET_WITH_AGE = SchemaBuilder.record("Pet")
            .fields()
            .requiredString("name")
            .optionalInt("age")
            .endRecord();
    private static final Schema PET_WITHOUT_NAME =
            SchemaBuilder.record("Pet").fields().requiredInt("age").endRecord();

    private final List<CatalogEntry> journal = new ArrayList<>();
    private final SchemaCatalog catalog = new SchemaCatalog(journal::add);

    @Test
    void schemaKeepsOneIdInAllSubjects() {
        assertThat(catalog.register("a", PET)).isEqualTo(1);
        assertThat(catalog.register("a", PET_WITH_AGE)).isEqualTo(2);
        assertThat(catalog.register("b", PET)).isEqualTo(1);
        assertThat(catalog.register("a", PET)).isEqualTo(1);
        assertThat(catalog.byId(2)).isEqualTo(PET_WITH_AGE);
        assertThat(catalog.uses(1))
                .extracting(SchemaCatalog.SchemaVersion::subject)
                .containsExactly("a", "b");
    }

    @Test
    void rejectsIncompatibleChangeWithReason() {
        catalog.register("a", PET);
        assertRejected(RegistryErrorCode.INCOMPATIBLE, () -> catalog.register("a", PET_WITHOUT_NAME))
                .withMessageContaining("subject a (FULL_TRANSITIVE)")
                .withMessageContaining("/fields/0");
        catalog.setLevel(Optional.of("a"), CompatibilityLevel.NONE);
        assertThat(catalog.register("a", PET_WITHOUT_NAME)).isEqualTo(2);
    }

    @Test
    void namesUnknownSchemaId() {
        assertRejected(RegistryErrorCode.UNKNOWN_ID, () -> catalog.byId(7)).withMessage("no schema has id 7");
    }

    @Test
    void journalRestoresCatalog() {
        catalog.register("a", PET);
        catalog.register("b", PET_WITH_AGE);
        catalog.register("a", PET_WITH_AGE);
        catalog.setLevel(Optional.empty(), CompatibilityLevel.BACKWARD);
        catalog.setLevel(Optional.of("b"), CompatibilityLevel.NONE);
        var again = new SchemaCatalog(entry -> {});
        journal.forEach(again::apply);
        assertThat(again.subjects()).isEqualTo(catalog.subjects());
        assertThat(again.versions("a")).isEqualTo(catalog.versions("a"));
        assertThat(again.level("a")).isEqualTo(CompatibilityLevel.BACKWARD);
        assertThat(again.ownLevel("b")).contains(CompatibilityLevel.NONE);
        assertThat(again.register("c", SchemaBuilder.record("New").fields().endRecord()))
                .isEqualTo(3);
    }

    @Test
    void failedJournalWriteConsumesSchemaId() {
        var failing = new ArrayList<CatalogEntry>();
        var unsure = new SchemaCatalog(entry -> {
            failing.add(entry);
            if (failing.size() == 1) {
                throw RegistryException.of(RegistryErrorCode.FAILED, "no answer");
            }
        });
        assertRejected(RegistryErrorCode.FAILED, () -> unsure.register("a", PET));
        assertThat(unsure.register("a", PET_WITH_AGE)).isEqualTo(2);
        var again = new SchemaCatalog(entry -> {});
        failing.forEach(again::apply);
        assertThat(again.byId(1)).isEqualTo(PET);
        assertThat(again.byId(2)).isEqualTo(PET_WITH_AGE);
    }

    private static ThrowableAssertAlternative<RegistryException> assertRejected(
            RegistryErrorCode reason, ThrowableAssert.ThrowingCallable call) {
        return assertThatExceptionOfType(RegistryException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.errorCode()).isEqualTo(reason));
    }
}
