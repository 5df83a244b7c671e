package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleBiFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/** Throughput and goodput by size, in the shape of the paper's Figure 5: SVG for documents, PNG for everything else. */
final class Plots {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 500;
    private static final double GIGABIT = 1e9 / 8;

    private final Results results;

    Plots(Results results) {
        this.results = results;
    }

    /** Writes all; names of the SVG files. */
    List<String> write(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<String> names = new ArrayList<>();
        for (int subscribers : results.subscriberCounts()) {
            String of = subscribers == 1 ? " with 1 subscriber" : " with " + subscribers + " subscribers";
            names.add(write(
                    folder,
                    "throughput-" + subscribers,
                    "Throughput" + of,
                    "messages/s",
                    subscribers,
                    (cell, rate) -> rate));
            names.add(write(
                    folder,
                    "goodput-" + subscribers,
                    "Goodput" + of,
                    "Gbit/s to each",
                    subscribers,
                    (cell, rate) -> rate * cell.size() / GIGABIT));
        }
        return names;
    }

    private String write(
            Path folder, String name, String title, String unit, int subscribers, ToDoubleBiFunction<Cell, Double> of)
            throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle("bytes of a message")
                .yAxisTitle(unit)
                .build();
        chart.getStyler().setXAxisLogarithmic(true).setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setYAxisLogarithmic(unit.startsWith("messages"));
        List<Cell> cells = results.cells(subscribers);
        for (String contender : results.contenders()) {
            chart.addSeries(
                    contender,
                    cells.stream().mapToDouble(Cell::size).toArray(),
                    cells.stream()
                            .mapToDouble(cell -> of.applyAsDouble(
                                    cell,
                                    results.estimate(cell, contender, Measurement::perSecond)
                                            .median()))
                            .toArray());
        }
        String path = folder.resolve(name).toString();
        VectorGraphicsEncoder.saveVectorGraphic(chart, path, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
        BitmapEncoder.saveBitmap(chart, path, BitmapEncoder.BitmapFormat.PNG);
        return name + ".svg";
    }
}
