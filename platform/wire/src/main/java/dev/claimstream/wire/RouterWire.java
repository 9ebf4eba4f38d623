package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Verdict;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.schemas.CellVerdict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Converts inputs of the router and reports of cells to and from records of {@code router.in}. */
public final class RouterWire {
    private RouterWire() {}

    /** Converts an accepted record of the intake to an input of the router. */
    public static dev.claimstream.schemas.RouterInput to(dev.claimstream.schemas.CellInput seen) {
        return dev.claimstream.schemas.RouterInput.newBuilder()
                .setAt(seen.getAt())
                .setSeen(seen)
                .build();
    }

    /** Converts the placement of a node to an input of a router that is being rebuilt. */
    public static dev.claimstream.schemas.RouterInput to(dev.claimstream.schemas.PlacementRecord placed, Instant at) {
        return dev.claimstream.schemas.RouterInput.newBuilder()
                .setAt(at)
                .setPlaced(placed)
                .build();
    }

    /**
     * Converts a report of a cell to an input of the router.
     *
     * @param free the number of free devices in the cell
     */
    public static dev.claimstream.schemas.RouterInput to(int cell, Verdict verdict, long free, Instant at) {
        return dev.claimstream.schemas.RouterInput.newBuilder()
                .setAt(at)
                .setSaid(said(CellVerdict.newBuilder().setCell(cell).setFree(free), verdict, at))
                .build();
    }

    private static CellVerdict said(CellVerdict.Builder record, Verdict verdict, Instant at) {
        switch (verdict) {
            case Verdict.Served served ->
                about(record, served.item(), served.attempt())
                        .setServed(new dev.claimstream.schemas.Served(served.number(), served.claims()));
            case Verdict.GivenBack back ->
                about(record, back.item(), back.attempt())
                        .setGivenBack(new dev.claimstream.schemas.GivenBack(
                                back.number(), why(back.item(), back.because(), at)));
            case Verdict.Dropped dropped ->
                about(record, dropped.item(), dropped.attempt()).setDropped(true);
            case Verdict.Reasoned reasoned ->
                about(record, reasoned.item(), 0).setReasoned(why(reasoned.item(), reasoned.because(), at));
            case Verdict.WouldFit offer -> about(record, offer.item(), 0).setWouldFit(true);
            case Verdict.Freed freed -> record.setFreed(freed.claimUid());
            case Verdict.Echo echo -> record.setEcho(echo.probe());
            case Verdict.Handed handed ->
                record.setHanded(new dev.claimstream.schemas.Handed(
                        handed.node(),
                        handed.transfer(),
                        handed.content().stream()
                                .map(observation -> Observations.to(observation, at))
                                .toList()));
            case Verdict.Kept kept -> record.setKept(new dev.claimstream.schemas.Kept(kept.node(), kept.transfer()));
        }
        return record.build();
    }

    private static CellVerdict.Builder about(CellVerdict.Builder record, ItemId item, long attempt) {
        return record.setItem(Decisions.to(item)).setAttempt(attempt);
    }

    static dev.claimstream.schemas.ExplanationRecord why(ItemId item, Explanation.Because.Waits because, Instant at) {
        return Explanations.to(new Explanation(item, List.of(), 0, because), at);
    }

    /**
     * Returns the reason in an explanation record.
     *
     * @throws IllegalArgumentException if the record explains an allocation
     */
    static Explanation.Because.Waits why(dev.claimstream.schemas.ExplanationRecord record) {
        if (Explanations.from(record).because() instanceof Explanation.Because.Waits waits) {
            return waits;
        }
        throw new IllegalArgumentException("%s was given back, and its explanation says that it was granted"
                .formatted(Decisions.from(record.getItem())));
    }

    /**
     * Returns the input of a record; absent if the record contains only fields of a newer version.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the value
     */
    public static Optional<RouterInput> from(long offset, dev.claimstream.schemas.RouterInput record) {
        return record.getSeen()
                .flatMap(RouterWire::seen)
                .or(() -> record.getSaid().flatMap(RouterWire::said))
                .or(() -> record.getPlaced()
                        .map(placed -> new RouterInput.What.Placed(placed.getNode(), placed.getCell())))
                .map(what -> new RouterInput(offset, record.getAt(), what));
    }

    private static Optional<RouterInput.What> seen(dev.claimstream.schemas.CellInput record) {
        return record.getRestored()
                .<RouterInput.What>map(
                        decision -> new RouterInput.What.Restored(decision.getCell(), Decisions.from(decision)))
                .or(() -> Inputs.observation(record).map(RouterInput.What.Seen::new));
    }

    private static Optional<RouterInput.What> said(CellVerdict record) {
        return record.getItem()
                .map(Decisions::from)
                .flatMap(item -> ofItem(record, item))
                .or(() -> record.getFreed().map(Verdict.Freed::new))
                .or(() -> record.getEcho().map(Verdict.Echo::new))
                .or(() -> record.getHanded().map(RouterWire::handed))
                .or(() -> record.getKept().map(kept -> new Verdict.Kept(kept.getNode(), kept.getTransfer())))
                .map(verdict -> new RouterInput.What.Said(record.getCell(), verdict, record.getFree()));
    }

    private static Optional<Verdict> ofItem(CellVerdict record, ItemId item) {
        return record.getServed()
                .<Verdict>map(
                        served -> new Verdict.Served(item, record.getAttempt(), served.getNumber(), served.getClaims()))
                .or(() -> record.getGivenBack()
                        .map(back ->
                                new Verdict.GivenBack(item, record.getAttempt(), back.getNumber(), why(back.getWhy()))))
                .or(() -> record.getReasoned().map(why -> new Verdict.Reasoned(item, why(why))))
                .or(() -> record.getDropped()
                        ? Optional.of(new Verdict.Dropped(item, record.getAttempt()))
                        : Optional.empty())
                .or(() -> record.getWouldFit() ? Optional.of(new Verdict.WouldFit(item)) : Optional.empty());
    }

    private static Verdict handed(dev.claimstream.schemas.Handed record) {
        List<Observation> content = record.getContent().stream()
                .flatMap(each -> Inputs.observation(each).stream())
                .toList();
        return new Verdict.Handed(record.getNode(), record.getTransfer(), content);
    }
}
