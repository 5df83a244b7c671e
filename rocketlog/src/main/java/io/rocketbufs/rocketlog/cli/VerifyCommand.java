package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.log.LogInspection.Finding;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code rocketlog verify}, which checks every byte of log files. */
@Command(
        name = "verify",
        description = {
            "Checks every batch, index and seal of log files, and changes nothing.",
            "Exits with 1 if a file is damaged, and names the file, the position and the defect. Skips the remains of"
                    + " deleted topics, and names them."
        },
        footer = {"", "Examples:", "  rocketlog verify data", "  rocketlog verify --json data/orders-0"})
final class VerifyCommand extends InspectCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Prints one JSON object, which contains the defects.")
    boolean json;

    VerifyCommand(Streams streams) {
        super(streams);
    }

    @Override
    public Integer call() throws IOException {
        LogInspection inspection = inspect((file, position, buffer, batch) -> {}, !json);
        if (json) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("batches", inspection.batches());
            result.put("records", inspection.records());
            result.put(
                    "damaged",
                    inspection.findings().stream().map(VerifyCommand::asMap).toList());
            result.put("deletedTopics", List.copyOf(inspection.deletedTopics()));
            streams.tell(Json.of(result));
        } else {
            boolean isOne = inspection.batches() == 1;
            streams.tell(inspection.batches() + (isOne ? " batch" : " batches") + " with "
                    + counted(inspection.records(), "record") + (isOne ? " is" : " are") + " valid; "
                    + counted(inspection.findings().size(), "defect"));
        }
        return exitCode(inspection);
    }

    private static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    private static Map<String, Object> asMap(Finding finding) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("file", finding.file().toString());
        map.put("position", finding.position());
        map.put("problem", finding.problem());
        return map;
    }
}
