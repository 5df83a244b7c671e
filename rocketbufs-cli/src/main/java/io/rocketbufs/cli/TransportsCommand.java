package io.rocketbufs.cli;

import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.TransportInfo;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportChoice;
import io.rocketbufs.text.HostPort;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code transports} command, which shows the transports available on this machine and their capabilities. */
@Command(
        name = "transports",
        description = "Shows which transports are available on this machine, and their capabilities.",
        footer = {"", "Examples:", "  ${ROOT-COMMAND-NAME} transports", "  ${ROOT-COMMAND-NAME} transports --json"})
public final class TransportsCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config;

    @Option(names = "--json", description = "Prints one JSON object.")
    boolean json;

    /**
     * Creates the command.
     *
     * @param config the program's configuration
     */
    public TransportsCommand(Streams streams, ConfigOptions config) {
        this.streams = streams;
        this.config = config;
    }

    @Override
    public Integer call() {
        try (RocketBufs rocketBufs = RocketBufs.open(config.load(RocketBufs::check))) {
            List<TransportInfo> transports = rocketBufs.transports();
            AutomaticTransports automatic = rocketBufs.automatic();
            if (json) {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("auto", asMap(automatic));
                map.put(
                        "transports",
                        transports.stream().map(TransportsCommand::asMap).toList());
                streams.tell(Json.of(map));
            } else {
                streams.tell("auto: connects over " + automatic.first() + ", and moves to the first that works of "
                        + String.join(", ", automatic.preferred()));
                transports.forEach(this::show);
            }
        }
        return ExitCode.DONE;
    }

    private void show(TransportInfo transport) {
        streams.tell(transport.name() + ": " + availability(transport.available()) + transport.detail());
        if (transport.choices().isEmpty()) {
            show("  ", transport.capabilities());
        }
        for (TransportChoice choice : transport.choices()) {
            streams.tell("  " + choice.name() + (choice.automatic() ? " (selected by auto): " : ": ")
                    + availability(choice.available())
                    + (choice.available()
                            ? "device " + choice.device() + " at " + HostPort.numeric(choice.address()) + ", "
                            : "")
                    + choice.detail());
            show("    ", choice.capabilities());
        }
    }

    private static String availability(boolean available) {
        return available ? "available, " : "not available, ";
    }

    private void show(String indent, Capabilities capabilities) {
        if (capabilities != null) {
            asMap(capabilities).forEach((name, value) -> streams.tell(indent + name + " " + value));
        }
    }

    private static Map<String, Object> asMap(AutomaticTransports automatic) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("first", automatic.first());
        map.put("preferred", automatic.preferred());
        return map;
    }

    private static Map<String, Object> asMap(TransportInfo transport) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", transport.name());
        map.put("available", transport.available());
        map.put("detail", transport.detail());
        map.put("capabilities", transport.capabilities() == null ? null : asMap(transport.capabilities()));
        map.put(
                "choices",
                transport.choices().stream().map(TransportsCommand::asMap).toList());
        return map;
    }

    private static Map<String, Object> asMap(TransportChoice choice) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", choice.name());
        map.put("available", choice.available());
        map.put("automatic", choice.automatic());
        map.put("device", choice.device());
        map.put("address", choice.available() ? HostPort.numeric(choice.address()) : null);
        map.put("detail", choice.detail());
        map.put("capabilities", choice.available() ? asMap(choice.capabilities()) : null);
        return map;
    }

    /** Returns the record's components by name, so that components added in the future are shown too. */
    private static Map<String, Object> asMap(Capabilities capabilities) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (RecordComponent component : Capabilities.class.getRecordComponents()) {
            try {
                Object value = component.getAccessor().invoke(capabilities);
                map.put(
                        component.getName(),
                        value instanceof Collection<?> set
                                ? set.stream().map(Object::toString).sorted().toList()
                                : value);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Capabilities." + component.getName() + " cannot be read", e);
            }
        }
        return map;
    }
}
