package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The measurement of all contenders in all cells. The contenders alternate (A B C, A B C, and so on), so that changes
 * in the machine's speed affect all of them. Before the measurements, a short trial run with each load determines the
 * best load for each contender. A measurement disturbed by other processes is discarded and repeated once the machine
 * is idle again.
 */
final class Campaign {
    /** Maximum number of processors that other processes may keep busy during a measurement. */
    private static final double FOREIGN_LIMIT = 0.1;

    private static final int ATTEMPTS = 20;
    /** Repetition number that marks a trial run. */
    private static final int TRIAL = -1;

    private static final double MINUTE_S = 60;
    private static final double MINUTE_MS = 60_000;
    private static final double SECOND_NS = 1e9;

    private final List<Contender> contenders;
    private final Span span;
    private final Span trial;
    private final int repetitions;
    private final ForeignLoad foreignLoad;
    private final PrintStream progress;
    private final List<Run> runs = new ArrayList<>();
    private final long startNs = System.nanoTime();
    private int planned;
    private int done;
    private int discarded;

    /**
     * Creates a campaign.
     *
     * @param trial duration of the trial run with each load
     * @param foreignLoad measures how many processors other processes keep busy during a measurement
     * @param progress stream for progress messages
     */
    Campaign(
            List<Contender> contenders,
            Span span,
            Span trial,
            int repetitions,
            ForeignLoad foreignLoad,
            PrintStream progress) {
        this.contenders = contenders;
        this.span = span;
        this.trial = trial;
        this.repetitions = repetitions;
        this.foreignLoad = foreignLoad;
        this.progress = progress;
    }

    /**
     * Measures all cells; the valid runs are in {@link #runs()}.
     *
     * @throws IOException if a measurement fails; the runs of earlier cells are still available
     */
    void run(List<Cell> cells) throws IOException, InterruptedException {
        planned = cells.stream().mapToInt(this::measurements).sum();
        progress.printf(
                Locale.ROOT,
                "bench: %d measurements, which take about %.0f minutes on a quiet machine%n",
                planned,
                Math.ceil(minutes(cells)));
        for (Cell cell : cells) {
            Map<Contender, Load> loads = new LinkedHashMap<>();
            for (Contender contender : contenders) {
                if (contender.takesPartIn(cell)) {
                    loads.put(contender, bestLoad(contender, cell));
                }
            }
            List<Run> found = new ArrayList<>();
            for (int i = 0; i < repetitions; i++) {
                for (Contender contender : loads.keySet()) {
                    found.add(undisturbed(contender, cell, i, loads.get(contender)));
                }
            }
            runs.addAll(found);
        }
    }

    /** Returns the valid runs in the order in which they were measured. */
    List<Run> runs() {
        return runs;
    }

    /** Returns the estimated time of all measurements in minutes. */
    double minutes(List<Cell> cells) {
        return cells.stream().mapToLong(this::estimateMs).sum() / MINUTE_MS;
    }

    private long estimateMs(Cell cell) {
        return contenders.stream()
                .filter(each -> each.takesPartIn(cell))
                .mapToLong(each -> each.estimateMs(cell, trial, trials(each.loads(cell)))
                        + each.estimateMs(cell, span, repetitions))
                .sum();
    }

    private int measurements(Cell cell) {
        return contenders.stream()
                .filter(each -> each.takesPartIn(cell))
                .mapToInt(each -> repetitions + trials(each.loads(cell)))
                .sum();
    }

    /** Returns the number of trial runs. A single load needs no trial run. */
    private static int trials(List<Load> loads) {
        return loads.size() > 1 ? loads.size() : 0;
    }

    /** Returns the number of discarded measurements. */
    int discarded() {
        return discarded;
    }

    private Load bestLoad(Contender contender, Cell cell) throws IOException, InterruptedException {
        List<Load> loads = contender.loads(cell);
        if (trials(loads) == 0) {
            return loads.get(0);
        }
        List<Run> trials = new ArrayList<>();
        for (Load load : loads) {
            Run run = measure(contender, cell, TRIAL, load, trial);
            show(run, "");
            trials.add(run);
            done++;
        }
        return trials.stream()
                .max(Comparator.comparingDouble(run -> run.measurement().perSecond()))
                .orElseThrow()
                .load();
    }

    private Run undisturbed(Contender contender, Cell cell, int repetition, Load load)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Run run = measure(contender, cell, repetition, load, span);
            if (run.foreignCores() <= FOREIGN_LIMIT) {
                show(run, "");
                done++;
                return run;
            }
            show(
                    run,
                    String.format(
                            Locale.ROOT, ", discarded: other processes used %.2f processors", run.foreignCores()));
            discarded++;
            if (attempt == ATTEMPTS || !foreignLoad.awaitQuiet(FOREIGN_LIMIT)) {
                throw new IOException(String.format(
                        Locale.ROOT,
                        "other processes keep the machine busy: they used %.2f processors in the last of %d attempts to"
                                + " measure %s in the cell %s",
                        run.foreignCores(),
                        attempt,
                        contender.name(),
                        cell));
            }
        }
    }

    private Run measure(Contender contender, Cell cell, int repetition, Load load, Span length)
            throws IOException, InterruptedException {
        foreignLoad.begin();
        Measurement measurement = contender.measure(cell, load, length);
        return new Run(contender.name(), cell, repetition, load, measurement, foreignLoad.cores());
    }

    private void show(Run run, String remark) {
        double elapsedS = (System.nanoTime() - startNs) / SECOND_NS;
        double leftS = done == 0 ? Double.NaN : elapsedS / done * (planned - done);
        Measurement found = run.measurement();
        progress.printf(
                Locale.ROOT,
                "[%d of %d%s] %s, %s: %s %s %,.0f/s, %sbroker %.2f, publishers %.2f, subscribers %.2f processors%s%s%n",
                done + 1,
                planned,
                Double.isNaN(leftS) ? "" : String.format(Locale.ROOT, ", %.1f min left", leftS / MINUTE_S),
                run.cell().experiment(),
                run.cell(),
                run.contender(),
                run.load(),
                found.perSecond(),
                Double.isNaN(found.p50Us())
                        ? ""
                        : String.format(Locale.ROOT, "p50 %.1f us, p99 %.1f us, ", found.p50Us(), found.p99Us()),
                found.brokerCores(),
                found.publisherCores(),
                found.subscriberCores(),
                found.faults() == 0 ? "" : ", " + found.faults() + " FAULTS",
                remark);
    }
}
