package io.rocketbufs.rbmq.broker;

import io.rocketbufs.json.Json;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An encoder of states as JSON; the field names are those of the records' components. */
final class StateJson {
    private StateJson() {}

    static String of(BrokerState state) {
        return Json.of(fields(state));
    }

    static String ofTopics(List<TopicState> topics) {
        return Json.of(topics.stream().map(StateJson::fields).toList());
    }

    private static Map<String, Object> fields(Record state) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (RecordComponent component : state.getClass().getRecordComponents()) {
            try {
                fields.put(component.getName(), value(component.getAccessor().invoke(state)));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(component + " cannot be read", e);
            }
        }
        return fields;
    }

    private static Object value(Object value) {
        if (value instanceof Record state) {
            return fields(state);
        }
        return value instanceof List<?> list
                ? list.stream().map(StateJson::value).toList()
                : value;
    }
}
