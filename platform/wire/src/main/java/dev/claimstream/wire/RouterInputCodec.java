package dev.claimstream.wire;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.schemas.CellVerdict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Converts inputs of the router and reports of cells to and from records of {@code router.in}. */
public final class RouterInputCodec {
    private RouterInputCodec() {}

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
    public static dev.claimstream.schemas.RouterInput to(int cell, CellReport verdict, long free, Instant at) {
        return dev.claimstream.schemas.RouterInput.newBuilder()
                .setAt(at)
                .setSaid(report(CellVerdict.newBuilder().setCell(cell).setFree(free), verdict, at))
                .build();
    }

    private static CellVerdict report(CellVerdict.Builder record, CellReport verdict, Instant at) {
        switch (verdict) {
            case CellReport.ItemAllocated served ->
                withItem(record, served.item(), served.attempt())
                        .setServed(new dev.claimstream.schemas.Served(served.number(), served.claims()));
            case CellReport.ItemReturned back ->
                withItem(record, back.item(), back.attempt())
                        .setGivenBack(new dev.claimstream.schemas.GivenBack(
                                back.number(), reason(back.item(), back.pending(), at)));
            case CellReport.ItemDeleted dropped ->
                withItem(record, dropped.item(), dropped.attempt()).setDropped(true);
            case CellReport.ReasonChanged reasoned ->
                withItem(record, reasoned.item(), 0).setReasoned(reason(reasoned.item(), reasoned.pending(), at));
            case CellReport.OfferMade offer -> withItem(record, offer.item(), 0).setWouldFit(true);
            case CellReport.ClaimReleased freed -> record.setFreed(freed.claimUid());
            case CellReport.ProbeEcho echo -> record.setEcho(echo.probe());
            case CellReport.NodeHandedOver handed ->
                record.setHanded(new dev.claimstream.schemas.Handed(
                        handed.node(),
                        handed.transfer(),
                        handed.content().stream()
                                .map(observation -> CellInputWriter.to(observation, at))
                                .toList()));
            case CellReport.NodeRetained kept ->
                record.setKept(new dev.claimstream.schemas.Kept(kept.node(), kept.transfer()));
        }
        return record.build();
    }

    private static CellVerdict.Builder withItem(CellVerdict.Builder record, ItemId item, long attempt) {
        return record.setItem(DecisionCodec.to(item)).setAttempt(attempt);
    }

    static dev.claimstream.schemas.ExplanationRecord reason(
            ItemId item, Explanation.ExplanationDetail.Pending because, Instant at) {
        return ExplanationCodec.to(new Explanation(item, List.of(), 0, because), at);
    }

    /**
     * Returns the reason in an explanation record.
     *
     * @throws IllegalArgumentException if the record explains an allocation
     */
    static Explanation.ExplanationDetail.Pending reason(dev.claimstream.schemas.ExplanationRecord record) {
        if (ExplanationCodec.from(record).detail() instanceof Explanation.ExplanationDetail.Pending waits) {
            return waits;
        }
        throw new IllegalArgumentException("%s was returned, but its explanation says that it is allocated"
                .formatted(DecisionCodec.from(record.getItem())));
    }

    /**
     * Returns the input of a record; absent if the record contains only fields of a newer version.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the value
     */
    public static Optional<RouterInput> from(long offset, dev.claimstream.schemas.RouterInput record) {
        return record.getSeen()
                .flatMap(RouterInputCodec::observation)
                .or(() -> record.getSaid().flatMap(RouterInputCodec::report))
                .or(() -> record.getPlaced()
                        .map(placed ->
                                new RouterInput.RouterEvent.RestoredPlacement(placed.getNode(), placed.getCell())))
                .map(what -> new RouterInput(offset, record.getAt(), what));
    }

    private static Optional<RouterInput.RouterEvent> observation(dev.claimstream.schemas.CellInput record) {
        return record.getRestored()
                .<RouterInput.RouterEvent>map(decision ->
                        new RouterInput.RouterEvent.RestoredDecision(decision.getCell(), DecisionCodec.from(decision)))
                .or(() -> CellInputReader.observation(record).map(RouterInput.RouterEvent.ObservationInput::new));
    }

    private static Optional<RouterInput.RouterEvent> report(CellVerdict record) {
        return record.getItem()
                .map(DecisionCodec::from)
                .flatMap(item -> ofItem(record, item))
                .or(() -> record.getFreed().map(CellReport.ClaimReleased::new))
                .or(() -> record.getEcho().map(CellReport.ProbeEcho::new))
                .or(() -> record.getHanded().map(RouterInputCodec::handover))
                .or(() -> record.getKept().map(kept -> new CellReport.NodeRetained(kept.getNode(), kept.getTransfer())))
                .map(verdict -> new RouterInput.RouterEvent.ReportInput(record.getCell(), verdict, record.getFree()));
    }

    private static Optional<CellReport> ofItem(CellVerdict record, ItemId item) {
        return record.getServed()
                .<CellReport>map(served ->
                        new CellReport.ItemAllocated(item, record.getAttempt(), served.getNumber(), served.getClaims()))
                .or(() -> record.getGivenBack()
                        .map(back -> new CellReport.ItemReturned(
                                item, record.getAttempt(), back.getNumber(), reason(back.getWhy()))))
                .or(() -> record.getReasoned().map(why -> new CellReport.ReasonChanged(item, reason(why))))
                .or(() -> record.getDropped()
                        ? Optional.of(new CellReport.ItemDeleted(item, record.getAttempt()))
                        : Optional.empty())
                .or(() -> record.getWouldFit() ? Optional.of(new CellReport.OfferMade(item)) : Optional.empty());
    }

    private static CellReport handover(dev.claimstream.schemas.Handed record) {
        List<Observation> content = record.getContent().stream()
                .flatMap(each -> CellInputReader.observation(each).stream())
                .toList();
        return new CellReport.NodeHandedOver(record.getNode(), record.getTransfer(), content);
    }
}
