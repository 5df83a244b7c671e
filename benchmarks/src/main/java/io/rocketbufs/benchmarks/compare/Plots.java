package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * The plots of the results: the paper's Figures 5, 6 and 7, and the growth of throughput. Table 1 remains a table. Each
 * plot is written as SVG for documents and as PNG for other uses.
 */
public final class Plots {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 500;
    private static final int PERCENT = 100;
    private static final double GIGABIT = 1e9 / 8;

    private final Results results;
    private final Path folder;
    private final List<String> names = new ArrayList<>();

    public Plots(Results results, Path folder) {
        this.results = results;
        this.folder = folder;
    }

    /** Writes the plots of the broker experiments. Returns the names of the SVG files. */
    public List<String> write() throws IOException {
        Results throughput = results.of(BrokerExperiment.THROUGHPUT);
        for (int count : throughput.values(Cell::subscribers)) {
            Results some = throughput.having(cell -> cell.subscribers() == count);
            XYChart rates = bySize("Throughput, subscribers: " + count, "messages/s");
            rates.getStyler().setYAxisLogarithmic(true);
            lines(rates, some, Cell::size, (cell, found) -> found.perSecond());
            save(rates, "throughput-" + count);
            XYChart goodput =
                    bySize("Goodput, subscribers: " + count, count == 0 ? "Gbit/s published" : "Gbit/s to each");
            lines(goodput, some, Cell::size, (cell, found) -> found.perSecond() * cell.size() / GIGABIT);
            save(goodput, "goodput-" + count);
        }
        Results cpu = results.of(BrokerExperiment.SUBSCRIBER_CPU);
        for (int rate : cpu.values(Cell::rate)) {
            XYChart chart = bySize("Processor time of a subscriber at " + rate + " messages/s", "% of one");
            lines(
                    chart,
                    cpu.having(cell -> cell.rate() == rate),
                    Cell::size,
                    (cell, found) -> PERCENT * found.subscriberCores());
            save(chart, "subscriber-cpu-" + rate);
        }
        for (Cell cell : results.of(BrokerExperiment.LATENCY).cells()) {
            latency(cell, "Latency at " + cell.rate() + " messages/s", "latency-" + cell.rate());
        }
        growth(BrokerExperiment.TOPICS, Cell::topics);
        growth(BrokerExperiment.PUBLISHERS, Cell::publishers);
        growth(BrokerExperiment.SUBSCRIBERS, Cell::subscribers);
        return names;
    }

    /** Plots the latency distributions of the given cells. Returns the names of the SVG files. */
    public List<String> writeLatencies(List<Cell> cells) throws IOException {
        for (Cell cell : cells) {
            int clients = Math.max(cell.publishers(), cell.subscribers());
            String name = cell.experiment() + "-" + cell.size() + (clients > 1 ? "-" + clients : "");
            latency(cell, "Latency, " + cell.experiment() + ", " + cell, name);
        }
        return names;
    }

    /**
     * Plots a cell's latency distribution. Each contender has one curve, which shows the medians of its measurements.
     */
    private void latency(Cell cell, String title, String name) throws IOException {
        XYChart chart = chart(title, "us", "% of messages");
        for (String contender : results.contenders(cell)) {
            double[] us = Latency.PERCENTS.stream()
                    .mapToDouble(percent -> results.estimate(
                                    cell, contender, found -> found.latency().at(percent))
                            .median())
                    .toArray();
            chart.addSeries(
                    contender,
                    us,
                    Latency.PERCENTS.stream().mapToDouble(each -> each).toArray());
        }
        save(chart, name);
    }

    private void growth(BrokerExperiment experiment, ToDoubleFunction<Cell> x) throws IOException {
        Results some = results.of(experiment);
        for (int size : some.values(Cell::size)) {
            XYChart chart = chart("Throughput by " + experiment + ", " + size + " B", experiment + "", "messages/s");
            lines(
                    chart,
                    some.having(cell -> cell.size() == size),
                    x,
                    (cell, found) -> found.perSecond() * cell.subscribers());
            save(chart, experiment + "-" + size);
        }
    }

    private static XYChart bySize(String title, String unit) {
        return chart(title, "message length in bytes", unit);
    }

    private static XYChart chart(String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setXAxisLogarithmic(true).setLegendPosition(Styler.LegendPosition.OutsideE);
        return chart;
    }

    private static void lines(
            XYChart chart, Results some, ToDoubleFunction<Cell> x, ToDoubleBiFunction<Cell, Measurement> y) {
        for (String name : some.contenders()) {
            List<Cell> cells = some.cells();
            chart.addSeries(
                    name,
                    cells.stream().mapToDouble(x).toArray(),
                    cells.stream()
                            .mapToDouble(cell -> some.estimate(cell, name, found -> y.applyAsDouble(cell, found))
                                    .median())
                            .toArray());
        }
    }

    private void save(XYChart chart, String name) throws IOException {
        String path = folder.resolve(name).toString();
        VectorGraphicsEncoder.saveVectorGraphic(chart, path, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
        BitmapEncoder.saveBitmap(chart, path, BitmapEncoder.BitmapFormat.PNG);
        names.add(name + ".svg");
    }
}
