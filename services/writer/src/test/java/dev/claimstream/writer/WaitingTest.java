package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.WaitNotes.About;
import dev.claimstream.kubernetes.WaitNotes.Note;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WaitingTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final Waiting waiting = new Waiting();
    private final List<Note> told = new ArrayList<>();
    private long number;

    private void waits(int second, ItemId item, Reason reason) {
        var verdict = new Decision.Verdict.Waits(reason, "because");
        waiting.see(new Decision(Sample.CLAIM, "u", ++number, item, verdict), BEGIN.plusSeconds(second));
    }

    private List<String> toldAt(int second) {
        told.clear();
        waiting.tell(told::add, BEGIN.plusSeconds(second));
        return told.stream()
                .map(note -> note.about() + " " + note.key() + " " + note.reason())
                .toList();
    }

    @Test
    void aReasonThatStandsIsToldOnce() {
        waits(0, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse);
        assertThat(toldAt(1)).isEmpty();
        assertThat(toldAt(2)).containsExactly("CLAIM team/a DevicesInUse");
        waits(3, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse);
        assertThat(toldAt(9)).isEmpty();
    }

    @Test
    void anotherReasonIsToldAgain() {
        waits(0, ItemId.claim(Sample.CLAIM), Reason.ClassMissing);
        assertThat(toldAt(2)).hasSize(1);
        waits(3, ItemId.claim(Sample.CLAIM), Reason.DevicesInUse);
        assertThat(toldAt(5)).containsExactly("CLAIM team/a DevicesInUse");
    }

    @Test
    void whatHasItsDevicesSoonIsNotToldOf() {
        waits(0, ItemId.claim(Sample.CLAIM), Reason.SourcesNotListed);
        waiting.see(Sample.granted(1, "u", Sample.P), BEGIN.plusSeconds(1));
        assertThat(toldAt(9)).isEmpty();
    }

    @Test
    void severalClaimsOfAPodAreOneNoteAboutThePod() {
        ItemId pod = ItemId.pod(new ObjectKey("team", "p"));
        waits(0, pod, Reason.DevicesInUse);
        waits(0, pod, Reason.DevicesInUse);
        assertThat(toldAt(2)).containsExactly("POD team/p DevicesInUse");
        assertThat(told.getFirst().about()).isEqualTo(About.POD);
    }

    @Test
    void whatWaitedForAClaimThatIsGoneIsNotToldOf() {
        waits(0, ItemId.pod(new ObjectKey("team", "p")), Reason.DevicesInUse);
        waiting.gone("another");
        waiting.gone("u");
        assertThat(toldAt(9)).isEmpty();
    }
}
