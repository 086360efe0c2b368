#include "metrics/counter_session.hpp"
